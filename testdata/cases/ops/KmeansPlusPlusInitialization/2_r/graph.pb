
-
x0Placeholder*
dtype0*
shape:
-
x1Placeholder*
dtype0	*
shape:
-
x2Placeholder*
dtype0	*
shape:
-
x3Placeholder*
dtype0	*
shape:
L
KmeansPlusPlusInitializationKmeansPlusPlusInitializationx0x1x2x3
5
y0IdentityKmeansPlusPlusInitialization*
T0"ª