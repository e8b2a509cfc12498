
/
x0Placeholder*
shape:*
dtype0
3
x1Placeholder*
shape
:*
dtype0
O
RandomGammaRandomGammax0x1*
seedÔ*
seed2á*
T0*
S0
$
y0IdentityRandomGamma*
T0"ª