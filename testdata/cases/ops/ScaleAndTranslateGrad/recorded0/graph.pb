
_
x0Placeholder*?
shape6:4ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
;
x1Placeholder*
shape:	*
dtype0
8
x2Placeholder*
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0
/
x3Placeholder*
shape:*
dtype0
s
ScaleAndTranslateGradScaleAndTranslateGradx0x1x2x3*
kernel_type
lanczos1*
T0*
	antialias("ª