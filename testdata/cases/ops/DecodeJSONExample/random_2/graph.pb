
/
x0Placeholder*
dtype0*
shape:
*
DecodeJSONExampleDecodeJSONExamplex0"ª