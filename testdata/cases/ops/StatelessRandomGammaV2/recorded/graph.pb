
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
_
StatelessRandomGammaV2StatelessRandomGammaV2x0x1x2*
T0*
Tseed0*
dtype0
/
y0IdentityStatelessRandomGammaV2*
T0"ª