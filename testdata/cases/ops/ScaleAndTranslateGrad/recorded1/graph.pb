
;
x0Placeholder*
shape:*
dtype0
;
x1Placeholder*
shape:*
dtype0
/
x2Placeholder*
shape:*
dtype0
/
x3Placeholder*
shape:*
dtype0
s
ScaleAndTranslateGradScaleAndTranslateGradx0x1x2x3*
kernel_type
gaussian*
T0*
	antialias("ª