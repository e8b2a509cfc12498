// Special functions as kernels/elem computes them: in f64, rounded once for f32.
#define FUNC(name, f)                                                            \
    extern "C" __device__ float name##_f32(float x) { return (float)f(x); }      \
    extern "C" __device__ double name##_f64(double x) { return f(x); }
#define FUNC2(name, f)                                                                          \
    extern "C" __device__ float name##_f32(float x, float y) { return (float)f(x, y); }         \
    extern "C" __device__ double name##_f64(double x, double y) { return f(x, y); }
#define FUNC3(name, f)                                                                                           \
    extern "C" __device__ float name##_f32(float x, float y, float z) { return (float)f(x, y, z); }              \
    extern "C" __device__ double name##_f64(double x, double y, double z) { return f(x, y, z); }
#define INLINE static __device__ __forceinline__

static const double pi = 3.14159265358979311600;
static const double euler = 0.57721566490153286;
static const double eps54 = 5.5511151231257827e-17;  // 2⁻⁵⁴

INLINE bool isInf(double x) { return fabs(x) == INFINITY; }

// Bessel's functions J and Y, NaN at infinity; Y is -∞ at and below 0, of order 1 in f32 NaN at 0.
INLINE double bessel_j0(double x) { return isInf(x) ? NAN : j0(x); }
INLINE double bessel_j1(double x) { return isInf(x) ? NAN : j1(x); }
INLINE double bessel_y0(double x) { return x <= 0 ? -INFINITY : isInf(x) ? NAN : y0(x); }
INLINE double bessel_y1(double x) { return x <= 0 ? -INFINITY : isInf(x) ? NAN : y1(x); }
FUNC(j0, bessel_j0)
FUNC(j1, bessel_j1)
FUNC(y0, bessel_y0)
extern "C" __device__ float y1_f32(float x) { return x == 0 ? NAN : (float)bessel_y1(x); }
extern "C" __device__ double y1_f64(double x) { return bessel_y1(x); }

// scaledI is e^-|x| I_n(|x|): the power series, whose terms are positive, then the
// asymptotic one.
INLINE double scaledI(double n, double x) {
    x = fabs(x);
    if (x > 30) {
        if (isInf(x)) return 0;
        double s = 1, t = 1;
#pragma unroll 1
        for (double k = 1; k < 30; k++) {
            double u = t * -(4 * n * n - (2 * k - 1) * (2 * k - 1)) / (k * 8 * x);
            if (fabs(u) > fabs(t)) break;
            t = u;
            s += t;
        }
        return s / (2.5066282746310002 * sqrt(x));
    }
    double q = x * x / 4, t = 1, s = 1;
#pragma unroll 1
    for (double k = 1; k < 500; k++) {
        t *= q / (k * (k + n));
        s += t;
        if (t < s * eps54) break;
    }
    if (n == 1) s *= x / 2;
    return s * exp(-x);
}
INLINE double bessel_i0e(double x) { return scaledI(0, x); }
INLINE double bessel_i1e(double x) { return copysign(scaledI(1, x), x); }
INLINE double bessel_i0(double x) { return exp(fabs(x)) * bessel_i0e(x); }
INLINE double bessel_i1(double x) { return exp(fabs(x)) * bessel_i1e(x); }
FUNC(i0, bessel_i0)
FUNC(i1, bessel_i1)
FUNC(i0e, bessel_i0e)
FUNC(i1e, bessel_i1e)

// scaledK is e^x K_n(x) for n 0 or 1, ∞ at and below 0: Temme's series up to 2, above
// Steed's continued fraction.
INLINE double scaledK(int n, double x) {
    if (x <= 0) return INFINITY;
    if (isInf(x)) return 0;
    if (x <= 2) {
        double q = x * x / 4, f = -log(x / 2) - euler;
        double p = 0.5, c = 1, s0 = f, s1 = p, qq = 0.5;
#pragma unroll 1
        for (double k = 1; k < 500; k++) {
            f = (k * f + p + qq) / (k * k);
            c *= q / k;
            p /= k;
            qq /= k;
            double d = c * f;
            s0 += d;
            s1 += c * (p - k * f);
            if (fabs(d) < fabs(s0) * eps54) break;
        }
        double e = exp(x);
        return n == 0 ? s0 * e : s1 * 2 / x * e;
    }
    if (x > 1152921504606846976.0) return 1.2533141373155001 / sqrt(x);
    double b = 2 * (1 + x), d = 1 / b, h = d, delta = d, q1 = 0, q2 = 1, q = 0.25, c = 0.25, a = -0.25;
    double s = 1 + q * delta;
#pragma unroll 1
    for (double i = 2; i < 10000; i++) {
        a -= 2 * (i - 1);
        c = -a * c / i;
        double qn = (q1 - b * q2) / a;
        q1 = q2;
        q2 = qn;
        q += c * qn;
        b += 2;
        d = 1 / (b + a * d);
        delta = (b * d - 1) * delta;
        h += delta;
        double ds = q * delta;
        s += ds;
        if (fabs(ds / s) < eps54) break;
    }
    h *= 0.25;
    double k0 = sqrt(pi / (2 * x)) / s;
    return n == 0 ? k0 : k0 * (x + 0.5 - h) / x;
}
INLINE double bessel_k0e(double x) { return scaledK(0, x); }
INLINE double bessel_k1e(double x) { return scaledK(1, x); }
INLINE double bessel_k0(double x) { return x <= 0 ? INFINITY : scaledK(0, x) * exp(-x); }
INLINE double bessel_k1(double x) { return x <= 0 ? INFINITY : scaledK(1, x) * exp(-x); }
FUNC(k0, bessel_k0)
FUNC(k1, bessel_k1)
FUNC(k0e, bessel_k0e)
FUNC(k1e, bessel_k1e)

// dawsn is e^-x² ∫₀ˣ e^t² dt by Rybicki's sum of Gaussians; near 0 its series, far out
// the asymptotic one.
INLINE double dawson(double x) {
    double a = fabs(x), z = x * x;
    if (a < 0.2)
        return x * (1 - 2 * z / 3 * (1 - 2 * z / 5 * (1 - 2 * z / 7 * (1 - 2 * z / 9 * (1 - 2 * z / 11 * (1 - 2 * z / 13 * (1 - 2 * z / 15)))))));
    if (a > 50) {
        if (isInf(x)) return 0;
        double i = 1 / z;
        return 0.5 / x * (1 + 0.5 * i * (1 + 1.5 * i * (1 + 2.5 * i * (1 + 3.5 * i))));
    }
    double n0 = 2 * round(0.5 * a / 0.25), d = a - n0 * 0.25, s = 0;
#pragma unroll 1
    for (double k = 1; k < 29; k += 2) {
        double u = d - k * 0.25, v = d + k * 0.25;
        s += exp(-u * u) / (n0 + k) + exp(-v * v) / (n0 - k);
    }
    return copysign(s / 1.77245385090551602730, x);
}
FUNC(dawsn, dawson)

// expint is the exponential integral Ei(x) for x > 0; NaN where 1/x is not normal in the type.
INLINE double exponentialIntegral(double x) {
    if (!(x >= 0) || isInf(x)) return NAN;
    if (x == 0) return -INFINITY;
    if (x > 45) {
        double s = 1, t = 1;
#pragma unroll 1
        for (double k = 1; k < 60; k++) {
            double u = t * k / x;
            if (u > t || u < eps54) break;
            t = u;
            s += t;
        }
        return exp(x) / x * s;
    }
    double s = 0, t = 1;
#pragma unroll 1
    for (double k = 1; k < 500; k++) {
        t *= x / k;
        s += t / k;
        if (t / k < s * eps54) break;
    }
    return euler + log(x) + s;
}

INLINE double dilog(double z) {
    double u = -log1p(-z), v = u * u;
    return u - v / 4 +
           u * v *
               (1.0 / 36 +
                v * (-1.0 / 3600 + v * (1.0 / 211680 + v * (-1.0 / 10886400 + v * (1.0 / 526901760 + v * (-691.0 / 16999766784000 + v / 1120863744000))))));
}

// dilogarithm is Li₂(1 - x) for x ≥ 0.
INLINE double dilogarithm(double x) {
    const double pi26 = pi * pi / 6;
    if (!(x >= 0) || isInf(x)) return NAN;
    if (x == 0) return pi26;
    bool far = x > 1.5;
    double l = log(x), y = far ? 1 / x : x, r;
    if (y < 0.5)
        r = pi26 - log(y) * log1p(-y) - dilog(y);
    else
        r = dilog(1 - y);
    return far ? -r - l * l / 2 : r;
}
#define NORMAL(name, f)                                                                                              \
    extern "C" __device__ float name##_f32(float x) { return x > 8.507059173023462e37f ? NAN : (float)f(x); }        \
    extern "C" __device__ double name##_f64(double x) { return x > 4.4942328371557898e307 ? NAN : f(x); }
NORMAL(expint, exponentialIntegral)
NORMAL(spence, dilogarithm)

// fresnel is ∫₀ˣ sin(πt²/2) dt, or of the cosine: the power series, then a continued
// fraction of the complementary error function.
INLINE double fresnel(bool sine, double x) {
    double a = fabs(x), s = 0, c = 0;
    if (x != x) return x;
    if (a > 1e8) return copysign(0.5, x);
    if (a < 1.6) {
        double q = pi / 2 * a * a, t = a;
#pragma unroll 1
        for (int k = 0; k < 100; k++) {
            double u = t / (2 * k + 1), v = k & 2 ? -u : u;
            if (k & 1)
                s += v;
            else
                c += v;
            if (k > 2 && u < 1e-18) break;
            t *= q / (k + 1);
        }
        return copysign(sine ? s : c, x);
    }
    // Complex numbers as pairs: b, cc, d, h.
    double y = pi * a * a, br = 1, ccr = 1e300, cci = 0, n = -1;
    double m = 1 + y * y, dr = 1 / m, di = y / m, hr = dr, hi = di;
#pragma unroll 1
    for (int k = 0; k < 1000; k++) {
        n += 2;
        double e = -n * (n + 1);
        br += 4;
        double zr = e * dr + br, zi = e * di - y;
        m = zr * zr + zi * zi;
        dr = zr / m;
        di = -zi / m;
        m = ccr * ccr + cci * cci;
        double qr, qi;
        if (m > 1e300) {
            qr = e / ccr;
            qi = 0;
        } else {
            qr = e * ccr / m;
            qi = -e * cci / m;
        }
        ccr = br + qr;
        cci = qi - y;
        double tr = ccr * dr - cci * di, ti = ccr * di + cci * dr;
        double hn = hr * tr - hi * ti;
        hi = hr * ti + hi * tr;
        hr = hn;
        if (fabs(tr - 1) + fabs(ti) < 2.2204460492503131e-16) break;
    }
    // h *= a(1 - i)
    double gr = a * (hr + hi), gi = a * (hi - hr), sn, cs;
    sincos(pi / 2 * fmod(a * a, 4.0), &sn, &cs);
    double ur = 1 - (cs * gr - sn * gi), ui = -(cs * gi + sn * gr);
    return copysign(sine ? 0.5 * (ur + ui) : 0.5 * (ur - ui), x);
}
INLINE double fresnelSin(double x) { return fresnel(true, x); }
INLINE double fresnelCos(double x) { return fresnel(false, x); }
FUNC(fresnel_sin, fresnelSin)
FUNC(fresnel_cos, fresnelCos)

INLINE double psi(double x) {
    if (x != x || x == -INFINITY || x <= 0 && x == floor(x)) return NAN;
    if (isInf(x)) return x;
    double reflect = 0;
    if (x < 0) {
        double f = x - floor(x);
        if (f != 0.5) reflect = pi / tan(pi * f);
        x = 1 - x;
    }
    double s = 0;
#pragma unroll 1
    while (x < 10) {
        s -= 1 / x;
        x++;
    }
    double z = 1 / (x * x);
    double p = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
    return s + log(x) - 0.5 / x - p - reflect;
}

// hurwitz is Σ (k+q)^-x over k ≥ 0, for x > 1: nine terms and the correction of Euler
// and Maclaurin.
INLINE double term(int i) {
    switch (i) {
        case 0: return 12;
        case 1: return -720;
        case 2: return 30240;
        case 3: return -1209600;
        case 4: return 47900160;
        case 5: return -1.8924375803183791606e9;
        case 6: return 7.47242496e10;
        case 7: return -2.950130727918164224e12;
        case 8: return 1.1646782814350067249e14;
        case 9: return -4.5979787224074726105e15;
        case 10: return 1.8152105401943546773e17;
    }
    return -7.1661652561756670113e18;
}
INLINE double hurwitz(double x, double q) {
    const double eps = 1.1102230246251565e-16;
    if (x == 1) return INFINITY;
    if (!(x > 1) || q != q) return NAN;
    if (q <= 0 && q == floor(q)) return isInf(x) || x == floor(x) && fmod(x, 2.0) == 0 ? INFINITY : NAN;
    if (q <= 0 && x != floor(x)) return NAN;
    if (isInf(q)) return 0;
    double s = 0, a = q, b = 0;
    int i = -1;
#pragma unroll 1
    while (true) {
        b = pow(a, -x);
        s += b;
        if (i >= 0 && (b == 0 || fabs(b) < eps * fabs(s))) return s;
        i++;
        if (i >= 9 && a > 9) break;
        a++;
    }
    double w = a;
    s += b * w / (x - 1);
    s -= 0.5 * b;
    double f = 1, k = 0;
#pragma unroll 1
    for (int i = 0; i < 12; i++) {
        f *= x + k;
        b /= w;
        double t = f * b / term(i);
        s += t;
        if (fabs(t) < eps * fabs(s)) break;
        k++;
        f *= x + k;
        b /= w;
        k++;
    }
    return s;
}
FUNC2(zeta, hurwitz)

// polygamma is the n-th derivative of digamma; NaN unless n is a whole number of at least 0.
INLINE double derivative(double n, double x) {
    if (!(n >= 0) || n != floor(n)) return NAN;
    if (n == 0) return psi(x);
    double y = tgamma(n + 1) * hurwitz(n + 1, x);
    return fmod(n, 2.0) == 0 ? -y : y;
}
FUNC2(polygamma, derivative)

// gammaFactor is x^a e^-x / Γ(a).
INLINE double gammaFactor(double a, double x) {
    if (a > 50) {
        double d = (x - a) / a, i = 1 / a;
        double s = i * (1.0 / 12 - i * i * (1.0 / 360 - i * i * (1.0 / 1260 - i * i / 1680)));
        return sqrt(a / (2 * pi)) * exp(a * (log1p(d) - d) - s);
    }
    return exp(a * log(x) - x - lgamma(a));
}

// incompleteGamma is P(a, x) by its power series for x below a or 1, else 1 - P(a, x) by
// its continued fraction, after Lentz. upper selects 1 - P(a, x) as the result.
INLINE double incompleteGamma(double a, double x, bool upper) {
    double f = gammaFactor(a, x);
    if (f == 0) return 0;
    if (!upper) {
        double r = a, c = 1, s = 1;
#pragma unroll 1
        for (int k = 0; k < 5000; k++) {
            r++;
            c *= x / r;
            s += c;
            if (c <= s * eps54) break;
        }
        return s * f / a;
    }
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
#pragma unroll 1
    for (double i = 1; i < 5000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (fabs(d) < tiny) d = tiny;
        c = b + an / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < 2.2204460492503131e-16) break;
    }
    return f * h;
}
INLINE double lowerGamma(double a, double x) {
    if (x == 0) return 0;
    if (!(x > 0) || !(a > 0)) return NAN;
    if (isInf(a)) return 0;
    if (isInf(x)) return 1;
    bool upper = x > 1 && x > a;
    double v = incompleteGamma(a, x, upper);
    return upper ? 1 - v : v;
}
INLINE double upperGamma(double a, double x) {
    if (!(x >= 0) || !(a > 0)) return NAN;
    if (x == 0) return 1;
    if (isInf(x)) return 0;
    if (isInf(a)) return 1;
    bool upper = !(x < 1 || x < a);
    double v = incompleteGamma(a, x, upper);
    return upper ? v : 1 - v;
}
FUNC2(igamma, lowerGamma)
FUNC2(igammac, upperGamma)

// betainc is the regularised incomplete beta function I_x(a, b) by its continued fraction.
INLINE double notTiny(double v) { return fabs(v) < 1e-300 ? 1e-300 : v; }
INLINE double incompleteBeta(double a, double b, double x) {
    if (!(a > 0) || !(b > 0) || !(x >= 0) || x > 1 || isInf(a) || isInf(b)) return NAN;
    if (x == 0 || x == 1) return x;
    double f = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    bool swap = !(x < (a + 1) / (a + b + 2));
    if (swap) {
        double t = a;
        a = b;
        b = t;
        x = 1 - x;
    }
    double c = 1, d = 1 / notTiny(1 - (a + b) * x / (a + 1)), h = d;
#pragma unroll 1
    for (double m = 1; m < 5000; m++) {
        double t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / notTiny(1 + t * d);
        c = notTiny(1 + t / c);
        h *= d * c;
        t = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / notTiny(1 + t * d);
        c = notTiny(1 + t / c);
        h *= d * c;
        if (fabs(d * c - 1) < 2.2204460492503131e-16) break;
    }
    double v = f * h / a;
    return swap ? 1 - v : v;
}
FUNC3(betainc, incompleteBeta)

// The derivatives of the incomplete gamma function are computed in their own type. Their
// series end after a fixed number of terms, converged or not.
template <typename T> struct Numbers;
template <> struct Numbers<float> {
    static __device__ constexpr int terms() { return 200; }
    static __device__ constexpr float eps() { return 5.9604644775390625e-8f; }
    static __device__ constexpr float big() { return 16777216.0f; }
    static __device__ constexpr double least() { return -88.722839052068352; }
};
template <> struct Numbers<double> {
    static __device__ constexpr int terms() { return 500; }
    static __device__ constexpr double eps() { return 1.1102230246251565e-16; }
    static __device__ constexpr double big() { return 4503599627370496.0; }
    static __device__ constexpr double least() { return -709.782712893384; }
};

// gammaDensity is x^a·e^-x/Γ(a), 0 where that is too small.
template <typename T> INLINE T gammaDensity(T a, T x) {
    T l = a * (T)log((double)x) - x - (T)lgamma((double)a);
    if (!((double)l >= Numbers<T>::least())) return 0;
    return (T)exp((double)l);
}

// gammaGrad is the derivative of P(a, x) by a. With sample it is the derivative by a of a
// gamma variable x of shape a, for constant P.
template <typename T> INLINE T gammaGrad(T a, T x, bool sample) {
    if (x == 0) return 0;
    if (!(x > 0) || !(a > 0)) return NAN;
    bool upper = x > 1 && x > a;
    if (upper && isInf(x)) return -(T)0;
    T ax = gammaDensity(a, x);
    if (ax == 0) return upper ? -(T)0 : 0;
    T dlog = (T)log((double)x) - (T)psi((double)(upper ? a : a + 1));
    if (!upper) {
        ax /= a;
        T r = a, c = 1, ans = 1, dc = 0, dans = 0;
#pragma unroll 1
        for (int k = 0; k < Numbers<T>::terms(); k++) {
            r++;
            T term = x / r, dterm = -x / (r * r);
            dc = term * dc + dterm * c;
            dans += dc;
            c *= term;
            ans += c;
            if (fabs(dc) <= Numbers<T>::eps() * fabs(dans)) break;
        }
        if (sample) return -(dans + ans * dlog) * x / a;
        return ans * (ax * dlog) + dans * ax;
    }
    T y = 1 - a, z = x + y + 1, c = 0;
    T p2 = 1, q2 = x, p1 = x + 1, q1 = z * x, dp2 = 0, dq2 = 0, dp1 = 0, dq1 = -x;
    T ans = p1 / q1, dans = (dp1 - ans * dq1) / q1;
#pragma unroll 1
    for (int k = 0; k < Numbers<T>::terms(); k++) {
        c++;
        y++;
        z += 2;
        T yc = y * c;
        T p = p1 * z - p2 * yc, q = q1 * z - q2 * yc;
        T dp = dp1 * z - p1 - dp2 * yc + p2 * c, dq = dq1 * z - q1 - dq2 * yc + q2 * c;
        if (q != 0) {
            ans = p / q;
            T before = dans;
            dans = (dp - ans * dq) / q;
            if (fabs(dans - before) <= Numbers<T>::eps()) break;
        }
        p2 = p1, p1 = p, q2 = q1, q1 = q;
        dp2 = dp1, dp1 = dp, dq2 = dq1, dq1 = dq;
        if (fabs(p) > Numbers<T>::big()) {
            T b = Numbers<T>::big();
            p2 /= b, p1 /= b, q2 /= b, q1 /= b, dp2 /= b, dp1 /= b, dq2 /= b, dq1 /= b;
        }
    }
    T v = sample ? -(dans + ans * dlog) * x : ans * (ax * dlog) + dans * ax;
    return -v;
}
extern "C" __device__ float igamma_grad_f32(float a, float x) { return gammaGrad<float>(a, x, false); }
extern "C" __device__ double igamma_grad_f64(double a, double x) { return gammaGrad<double>(a, x, false); }
extern "C" __device__ float gamma_grad_f32(float a, float x) { return gammaGrad<float>(a, x, true); }
extern "C" __device__ double gamma_grad_f64(double a, double x) { return gammaGrad<double>(a, x, true); }
