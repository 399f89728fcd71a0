CREATE TABLE `Order` (`select` int PRIMARY KEY, `Gr``oup` varchar(9));
INSERT INTO `Order` VALUES (1, 'x');
