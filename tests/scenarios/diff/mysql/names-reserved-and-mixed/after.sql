CREATE TABLE `Order` (`select` bigint PRIMARY KEY, `Gr``oup` varchar(9) NOT NULL DEFAULT 'q', `Ü ml` int, KEY `Idx One` (`Gr``oup`));
