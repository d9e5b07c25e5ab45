-- Where the serials of a product are: lists of serials alone do not read the stock of products without any.
create index stock_of_serials on stock (product_id, position_key, serial_key) where serial_key is not null;
