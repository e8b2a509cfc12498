
-
x0Placeholder*
shape:*
dtype0
-
x1Placeholder*
shape:*
dtype0
§
c2Const*Œ
value‚Bÿ
"ğ°à>`É¾ê›?w¤ ¿ÖÔ?£s°¾˜™#¿;»Œ>Æ$?´;8¾Ë>üÇ¡¼¡a9¾"?½8[¿º+?|?W'[¿ì@¾±¤P?2¼¾R>Û½—&š>kp¿¨v}¿QÎ>Ü·A>>ä?[çw½ëD>Ï˜P¿U¥½‹í€¿P¿Î*q?Ô•w¿Ú:\>!™|¾7ßÕ¾8Ï¾1ë2?ŒXO?mF?i5¾?­ªJ<r˜Ş¾ğê¾{>áp7?o'*?š†s¿7%¿ƒÿX=QNy>QŒo?ß7¿ßÇ*¿¹…‡?àë¿*
dtype0
®
c3Const*“
value‰B†
"xy*>y
F¿C³<¿}p!¿à¤s¾¥;¢¼2^Í¾YŠ¾Şá<LÀA>‚Ú„>¡ªÀ½oÙ²½¿ï>¹i>šúı=›Eš¾í™e¿È€%?(ò‰>1Û	¿Ê^{>ªˆ?Ü«>…
G>s†G¿¹”1¾æÿÔ¾;=È¾/BZ¾*
dtype0
-
x4Placeholder*
dtype0*
shape:
-
x5Placeholder*
dtype0*
shape:
=
GRUBlockCellGRUBlockCellx0x1c2c3x4x5*
T0
%
y0IdentityGRUBlockCell*
T0
'
y1IdentityGRUBlockCell:1*
T0
'
y2IdentityGRUBlockCell:2*
T0
'
y3IdentityGRUBlockCell:3*
T0"ª