
;
x0Placeholder*
shape:*
dtype0
M
x1Placeholder*-
shape$:"ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
3
x2Placeholder*
shape
:*
dtype0
/
x3Placeholder*
shape:*
dtype0
_
CropAndResizeGradBoxesCropAndResizeGradBoxesx0x1x2x3*
method
bilinear*
T0"ª