CREATE TABLE "Order" ("select" bigint PRIMARY KEY, "Gr""oup" text NOT NULL DEFAULT 'q', "Üml" integer);
CREATE INDEX "Idx One" ON "Order" ("Gr""oup");
