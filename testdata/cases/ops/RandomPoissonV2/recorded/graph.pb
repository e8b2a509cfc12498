
/
x0Placeholder*
shape:*
dtype0
3
x1Placeholder*
shape
:*
dtype0
c
RandomPoissonV2RandomPoissonV2x0x1*
seedé*
seed2x*
S0*
dtype0*
R0
(
y0IdentityRandomPoissonV2*
T0"ª