
;
x0Placeholder*
shape:*
dtype0
E
x1Placeholder*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
/
x2Placeholder*
shape:*
dtype0
/
x3Placeholder*
shape:*
dtype0
^
CropAndResizeGradImageCropAndResizeGradImagex0x1x2x3*
method	nearest*
T0"ª