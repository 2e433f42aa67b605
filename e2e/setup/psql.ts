// Runs a query like `psql URL -c QUERY`, and prints its rows as JSON.
import { Client } from 'pg';

const [url, , query = ''] = process.argv.slice(2);
const client = new Client(url);
await client.connect();
const { rows } = await client.query(query);
process.stdout.write(`${JSON.stringify(rows)}\n`);
await client.end();
