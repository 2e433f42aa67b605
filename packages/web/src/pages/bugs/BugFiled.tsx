// Shown after a bug report was sent: the uploads of its files, each with a retry button, and the report ID.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { fileBug } from '@chauffeur/contract/operations/bugs';
import { Anchor, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { upload } from '../../files.ts';
import { rich, t } from '../../texts.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';

export type Files = { readonly dump: File | null; readonly log: File | null };
export type Filed = {
  readonly bugUid: string;
  readonly number: number;
  readonly uploads: OutputOf<typeof fileBug>['uploads'];
  readonly files: Files;
  /** The address of the page with the ticket. */
  readonly page: string;
  /** The address that a player without an account left. */
  readonly email: string | null;
};

const KINDS = ['dump', 'log'] as const;

export function BugFiled({
  filed: { bugUid, number, uploads, files, page, email },
  slug,
}: {
  filed: Filed;
  slug: string;
}) {
  return (
    <Stack gap="md">
      <Text role="status">{t('bug.sent', { number })}</Text>
      {email !== null && <Text>{t('bug.confirm', { email })}</Text>}
      <Text>{rich('bug.page', { link: (content) => <Anchor href={page}>{content}</Anchor> })}</Text>
      {KINDS.map((kind) => {
        const file = files[kind];
        if (file === null) return null;
        const target = uploads[kind];
        return target === undefined ? (
          <Text key={kind} size="sm">
            {t(`bug.${kind}.refused`)}
          </Text>
        ) : (
          <FileUpload key={kind} kind={kind} url={target.url} file={file} />
        );
      })}
      <div>
        <Text size="sm" c="dimmed">
          {t('bug.id')}
        </Text>
        <CopyText text={bugUid} label={t('bug.id')} />
      </div>
      <Anchor href={`/g/${slug}`}>{t('bug.back')}</Anchor>
    </Stack>
  );
}

type FileUploadProps = { kind: (typeof KINDS)[number]; url: string; file: File };

function FileUpload({ kind, url, file }: FileUploadProps) {
  const [share, setShare] = useState(0);
  const sending = useMutation({
    mutationFn: () => upload({ method: 'PUT', url, body: file, onProgress: setShare }),
  });
  const { mutate } = sending;
  const hasStarted = useRef(false);
  useEffect(() => {
    // The URL accepts one upload, so it must not start again if this component is mounted twice.
    if (hasStarted.current) return;
    hasStarted.current = true;
    mutate();
  }, [mutate]);
  return (
    <div>
      <Text size="sm" mb={4} role="status">
        {t(`bug.${kind}.${sending.isSuccess ? 'uploaded' : 'uploading'}`, { file: file.name })}
      </Text>
      {sending.error === null ? (
        <Progress
          value={sending.isSuccess ? 100 : share * 100}
          aria-label={t(`bug.${kind}.uploading`, { file: file.name })}
        />
      ) : (
        <Problem error={sending.error} onRetry={() => mutate()} />
      )}
    </div>
  );
}
