
3
x0Placeholder*
shape
:*
dtype0
3
x1Placeholder*
shape
:*
dtype0
3
x2Placeholder*
shape
:*
dtype0
3
x3Placeholder*
shape
:*
dtype0
/
x4Placeholder*
shape:*
dtype0
/
x5Placeholder*
shape:*
dtype0
/
x6Placeholder*
shape:*
dtype0
/
x7Placeholder*
dtype0*
shape:
3
x8Placeholder*
dtype0*
shape
:
3
x9Placeholder*
shape
:*
dtype0
4
x10Placeholder*
dtype0*
shape
:
4
x11Placeholder*
shape
:*
dtype0
4
x12Placeholder*
dtype0*
shape
:
4
x13Placeholder*
shape
:*
dtype0
4
x14Placeholder*
shape
:*
dtype0
4
x15Placeholder*
shape
:*
dtype0
‰
LSTMBlockCellGradLSTMBlockCellGradx0x1x2x3x4x5x6x7x8x9x10x11x12x13x14x15*
use_peephole(*
T0
*
y0IdentityLSTMBlockCellGrad*
T0
,
y1IdentityLSTMBlockCellGrad:1*
T0
,
y2IdentityLSTMBlockCellGrad:2*
T0
,
y3IdentityLSTMBlockCellGrad:3*
T0
,
y4IdentityLSTMBlockCellGrad:4*
T0"ª