
/
x1Placeholder*
dtype0*
shape:
"
UnicodeScriptUnicodeScriptx1
&
y0IdentityUnicodeScript*
T0"ª