
/
x0Placeholder*
shape:*
dtype0
/
x1Placeholder*
shape:*
dtype0
3
x2Placeholder*
shape
:*
dtype0
E
x3Placeholder*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
n
StatelessRandomBinomialStatelessRandomBinomialx0x1x2x3*
S0*
T0*
Tseed0*
dtype0
0
y0IdentityStatelessRandomBinomial*
T0"ª