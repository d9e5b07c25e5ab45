-- The live units of a product are listed by code, a page at a time, however many there are.
create index serial_of_product on serial (product_id, (code is null), searched, code, key) where deleted is null;
