-- More letters count as alike: the next start reckons the skeletons anew.
update user_account set skeleton = '' where skeleton <> '';
