CREATE TABLE "Order" ("select" INTEGER PRIMARY KEY, "Gr""oup" TEXT);
INSERT INTO "Order" VALUES (1, 'x');
