
3
x0Placeholder*
shape
:*
dtype0
3
x1Placeholder*
shape
:*
dtype0
3
x2Placeholder*
dtype0*
shape
:
3
x3Placeholder*
shape
:*
dtype0
/
x4Placeholder*
shape:*
dtype0
/
x5Placeholder*
shape:*
dtype0
3
x6Placeholder*
dtype0*
shape
:
3
x7Placeholder*
shape
:*
dtype0
3
x8Placeholder*
dtype0*
shape
:
3
x9Placeholder*
dtype0*
shape
:
U
GRUBlockCellGradGRUBlockCellGradx0x1x2x3x4x5x6x7x8x9*
T0
)
y0IdentityGRUBlockCellGrad*
T0
+
y1IdentityGRUBlockCellGrad:1*
T0
+
y2IdentityGRUBlockCellGrad:2*
T0
+
y3IdentityGRUBlockCellGrad:3*
T0"ª