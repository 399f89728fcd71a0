CREATE TABLE "Order" ("select" INTEGER PRIMARY KEY, "Gr""oup" TEXT NOT NULL DEFAULT 'q', "Üml x" INTEGER);
CREATE INDEX "Idx One" ON "Order" ("Gr""oup");
