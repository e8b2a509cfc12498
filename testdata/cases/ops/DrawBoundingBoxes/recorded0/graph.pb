
;
x0Placeholder*
shape:*
dtype0
7
x1Placeholder*
shape:*
dtype0
7
DrawBoundingBoxesDrawBoundingBoxesx0x1*
T0"ª