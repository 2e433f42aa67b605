// The SQL of the blobs that crash reports refer to.
import { sql } from 'kysely';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';

/** Sizes are those of the unpacked files; that of a stack is unknown. */
export const blobReferences = sql`select file.key, file.size, null::text as sha256,
    case when file.key like ${sql.lit(`%${PACKED_SUFFIX}`)} then 'zstd' end as packing
  from crash_reports,
    lateral (
      select * from (values (dump_key, dump_size), (log_key, log_size), (stack_key, null)) as own (key, size)
      union all
      select attached ->> 'key', (attached ->> 'size')::bigint from jsonb_array_elements(attachments) as attached
      union all
      select attached #>> '{image,key}', (attached #>> '{image,size}')::bigint
      from jsonb_array_elements(attachments) as attached
    ) as file (key, size)
  where file.key is not null`;
