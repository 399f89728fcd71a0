CREATE TABLE "Order" ("select" integer PRIMARY KEY, "Gr""oup" text);
INSERT INTO "Order" VALUES (1, 'x');
