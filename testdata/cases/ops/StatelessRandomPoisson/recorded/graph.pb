
/
x0Placeholder*
shape:*
dtype0
/
x1Placeholder*
shape:*
dtype0
E
x2Placeholder*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
l
StatelessRandomPoissonStatelessRandomPoissonx0x1x2*
T0*
Tseed0*
dtype0*
Rtype0
/
y0IdentityStatelessRandomPoisson*
T0"ª