
8
x0Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
*
DecodeJSONExampleDecodeJSONExamplex0"ª