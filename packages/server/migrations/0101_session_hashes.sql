-- Sessions are stored under the hash of their token, so that nobody who can read the database can use them. Those of
-- earlier versions stay signed in.
update user_sessions
  set token = translate(rtrim(encode(sha256(convert_to(token, 'UTF8')), 'base64'), '='), '+/', '-_')
  where length(token) <> 43;
