// The functions of libdevice that emitted PTX may include.
#define FUNC(name, f32, f64)                                              \
    extern "C" __device__ float name##_f32(float x) { return f32(x); }    \
    extern "C" __device__ double name##_f64(double x) { return f64(x); }
#define FUNC2(name, f32, f64)                                                           \
    extern "C" __device__ float name##_f32(float x, float y) { return f32(x, y); }      \
    extern "C" __device__ double name##_f64(double x, double y) { return f64(x, y); }

FUNC(exp, expf, exp)
FUNC(exp2, exp2f, exp2)
FUNC(expm1, expm1f, expm1)
FUNC(log, logf, log)
FUNC(log2, log2f, log2)
FUNC(log1p, log1pf, log1p)
FUNC(sin, sinf, sin)
FUNC(cos, cosf, cos)
FUNC(tan, tanf, tan)
FUNC(asin, asinf, asin)
FUNC(acos, acosf, acos)
FUNC(atan, atanf, atan)
FUNC(sinh, sinhf, sinh)
FUNC(cosh, coshf, cosh)
FUNC(tanh, tanhf, tanh)
FUNC(asinh, asinhf, asinh)
FUNC(acosh, acoshf, acosh)
FUNC(atanh, atanhf, atanh)
FUNC(erf, erff, erf)
FUNC(erfc, erfcf, erfc)
FUNC(erfinv, erfinvf, erfinv)
FUNC(normcdfinv, normcdfinvf, normcdfinv)
FUNC(lgamma, lgammaf, lgamma)
FUNC(cbrt, cbrtf, cbrt)
FUNC(rsqrt, rsqrtf, rsqrt)
FUNC2(atan2, atan2f, atan2)
FUNC2(pow, powf, pow)
FUNC2(fmod, fmodf, fmod)
FUNC2(nextafter, nextafterf, nextafter)

// digamma is Γ'(x)/Γ(x): NaN at 0 and the negative integers. Arguments below 0 are
// reflected. The recurrence moves small arguments up to where the asymptotic series holds.
static __device__ __forceinline__ double digamma(double x) {
    const double pi = 3.14159265358979311600;
    if (x != x || x <= 0 && x == floor(x)) return nan("");
    if (isinf(x)) return x;
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
FUNC(digamma, (float)digamma, digamma)
