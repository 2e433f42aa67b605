// Shown after a bug report was sent: the uploads of its files, each with a retry button, and the report ID.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { fileBug } from '@chauffeur/contract/operations/bugs';
import { Anchor, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { putFile } from './put-file.ts';

export type Files = { readonly dump: File | null; readonly log: File | null };
export type Filed = {
  readonly bugUid: string;
  readonly number: number;
  readonly uploads: OutputOf<typeof fileBug>['uploads'];
  readonly files: Files;
};

const KINDS = [
  {
    kind: 'dump',
    uploading: 'Uploading crash dump',
    uploaded: 'Crash dump uploaded',
    refused: 'The crash dump was not uploaded: this game has reached its limit for today.',
  },
  {
    kind: 'log',
    uploading: 'Uploading log',
    uploaded: 'Log uploaded',
    refused: 'The log was not uploaded: this game has reached its limit for today.',
  },
] as const;

export function BugFiled({ filed: { bugUid, number, uploads, files }, slug }: { filed: Filed; slug: string }) {
  return (
    <Stack gap="md">
      <Text role="status">{`Report #${number} sent. The developer will see it in their list of bugs.`}</Text>
      {KINDS.map((texts) => {
        const { kind } = texts;
        const file = files[kind];
        if (file === null) return null;
        const upload = uploads[kind];
        return upload === undefined ? (
          <Text key={kind} size="sm">
            {texts.refused}
          </Text>
        ) : (
          <FileUpload key={kind} texts={texts} url={upload.url} file={file} />
        );
      })}
      <div>
        <Text size="sm" c="dimmed">
          Report ID
        </Text>
        <CopyText text={bugUid} label="report ID" />
      </div>
      <Anchor href={`/g/${slug}`}>Back to the game</Anchor>
    </Stack>
  );
}

type FileUploadProps = { texts: (typeof KINDS)[number]; url: string; file: File };

function FileUpload({ texts, url, file }: FileUploadProps) {
  const [share, setShare] = useState(0);
  const upload = useMutation({ mutationFn: () => putFile(url, file, setShare) });
  const { mutate } = upload;
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
        {upload.isSuccess ? texts.uploaded : texts.uploading}: {file.name}
      </Text>
      {upload.error === null ? (
        <Progress value={upload.isSuccess ? 100 : share * 100} aria-label={texts.uploading} />
      ) : (
        <Problem error={upload.error} onRetry={() => mutate()} />
      )}
    </div>
  );
}
