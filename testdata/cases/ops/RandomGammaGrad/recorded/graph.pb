
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
3
RandomGammaGradRandomGammaGradx0x1*
T0
(
y0IdentityRandomGammaGrad*
T0"ª