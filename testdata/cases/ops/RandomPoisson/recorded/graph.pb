
/
x0Placeholder*
shape:*
dtype0
8
x1Placeholder*
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0
J
opRandomPoissonx0x1*
seed2*
S0*

seed*
dtype0"