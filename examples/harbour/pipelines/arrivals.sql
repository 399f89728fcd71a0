INSERT INTO {{ sink('warehouse', 'main.arrivals') }}
SELECT call_sign, berth, eta, gross_tons
FROM {{ source('pilots', 'arrivals') }}
