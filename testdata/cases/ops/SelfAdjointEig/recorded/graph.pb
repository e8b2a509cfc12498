
3
x0Placeholder*
shape
:*
dtype0
!
opSelfAdjointEigx0*
T0"
