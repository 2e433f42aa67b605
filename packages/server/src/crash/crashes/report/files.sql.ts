// The SQL of the blobs that crash reports refer to.
import { sql } from 'kysely';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';

/** Sizes are those of the unpacked files; that of a stack is unknown. */
export const blobReferences = sql`select file.key, file.size, null::text as sha256,
    case when file.key like ${sql.lit(`%${PACKED_SUFFIX}`)} then 'zstd' end as packing
  from crash_reports,
    lateral jsonb_to_recordset(
      jsonb_build_array(
        jsonb_build_object('key', dump_key, 'size', dump_size),
        jsonb_build_object('key', log_key, 'size', log_size),
        jsonb_build_object('key', stack_key)
      ) || attachments || jsonb_path_query_array(attachments, '$[*].image')
    ) as file (key text, size bigint)
  where file.key is not null`;
