// Where the source code of a game can be read, so that stacks link to it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getSourceSettings, setSourceSettings } from '@chauffeur/contract/operations/source';
import { makeSourceLink } from '@chauffeur/contract/source-link';
import { Button, Code, Group, Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import { useGame } from '../games/use-game.ts';

type Settings = OutputOf<typeof getSourceSettings>;

export function SourcePage() {
  const { game_uid: uid, name } = useGame();
  const { data, error, refetch } = useQuery(ask(getSourceSettings, { uid }));
  return (
    <Stack gap="md">
      <PageHead title="Source code" tabTitle={`Source code · ${name}`} />
      <Text size="sm">
        Link the frames of stacks to your source code, at the commit of the build. See{' '}
        <DocLink page="source-code">Source code</DocLink>.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={260} />}
      {data !== undefined && <SourceForm key={uid} uid={uid} settings={data} />}
    </Stack>
  );
}

function SourceForm({ uid, settings }: { uid: string; settings: Settings }) {
  const queries = useQueryClient();
  const [template, setTemplate] = useState(settings.url_template ?? '');
  const [prefixes, setPrefixes] = useState(settings.path_prefixes.join('\n'));
  const [example, setExample] = useState('');
  const links = {
    url_template: template.trim(),
    path_prefixes: prefixes
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
  const isChanged =
    links.url_template !== (settings.url_template ?? '') ||
    links.path_prefixes.join('\n') !== settings.path_prefixes.join('\n');
  const saving = useMutation({
    mutationFn: () =>
      call(setSourceSettings, { uid, ...links, url_template: links.url_template === '' ? null : links.url_template }),
    onSuccess: (saved) => queries.setQueryData(ask(getSourceSettings, { uid }).queryKey, saved),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md" maw={640}>
        <TextInput
          data-field="url_template"
          label="Address of a file"
          description={
            <>
              With <Code>{'{path}'}</Code>, <Code>{'{commit}'}</Code> and <Code>{'{line}'}</Code>. Leave it empty for no
              links.
            </>
          }
          type="text"
          placeholder="https://github.com/owner/repository/blob/{commit}/{path}#L{line}"
          value={template}
          onChange={({ currentTarget }) => setTemplate(currentTarget.value)}
        />
        <Textarea
          data-field="path_prefixes"
          label="Folders to remove from paths"
          description="The folders in which your builds are compiled, one per line. Files in other folders get no link."
          placeholder={'/builds/my-game\nC:\\agent\\my-game'}
          autosize
          minRows={2}
          value={prefixes}
          onChange={({ currentTarget }) => setPrefixes(currentTarget.value)}
        />
        <TextInput
          label="Try a path"
          description="As it appears in a stack"
          placeholder="/builds/my-game/src/car.cc"
          value={example}
          onChange={({ currentTarget }) => setExample(currentTarget.value)}
        />
        {example !== '' && (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {makeSourceLink(links, { file: example.trim(), line: 12 }, 'COMMIT') ?? 'This path gets no link.'}
          </Text>
        )}
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
          <Text size="sm" role="status">
            {saving.isSuccess && !isChanged && 'Saved.'}
          </Text>
        </Group>
        <UnsavedChanges isChanged={isChanged} name="links to source code" />
      </Stack>
    </form>
  );
}
