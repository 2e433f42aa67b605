// How a game without reports begins to send them: the lines for its engine with its ids, and a test crash that appears
// in the list behind this when it arrives.
import { NetworkError } from '@chauffeur/contract/client';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { type JsonRequest, postCommand, quote } from '@chauffeur/contract/shell';
import { Button, Group, NativeSelect, ScrollArea, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShellCommand, signInCommand } from '../../ui/ShellCommand.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import type { ListedBuild } from '../builds/build-columns.tsx';
import { ENGINE_CHOICES } from '../games/engine-choices.ts';
import { buildCommand, type Engine } from '../games/first-build-steps.ts';
import type { OpenGame } from '../games/use-game.ts';
import { REPORTER_STEPS } from './crash-setup-steps.ts';
import { readGuideCode } from './guide-code.ts';

export function CrashSetup({ game }: { game: OpenGame }) {
  const { data } = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: 1 }),
    meta: follow('builds'),
  });
  if (data === undefined) return <Skeleton h={160} />;
  const [build] = data.builds;
  if (build === undefined)
    return (
      <Text size="sm">
        No crash reports yet. Every report belongs to a build.{' '}
        <SiteLink to="/dev/$slug" params={{ slug: game.slug }} size="sm" underline="always">
          Register your first build
        </SiteLink>
      </Text>
    );
  return <Steps game={game} build={build} />;
}

function Steps({ game, build }: { game: OpenGame; build: ListedBuild }) {
  const { version, os, arch, channel } = build;
  const [engine, setEngine] = useState<Engine>(os === 'web' ? 'web' : 'other');
  const { guide, text, code } = REPORTER_STEPS[engine];
  const options = [...(channel === 'stable' ? [] : ['--channel', channel]), '--game', game.slug];
  return (
    <Stack gap="lg" py="sm" maw={760}>
      <Text size="sm" role="status">
        No crash reports yet. Waiting for the first report: it appears here within two seconds of its arrival.
      </Text>
      <NativeSelect
        size="xs"
        label="Engine"
        maw={220}
        data={ENGINE_CHOICES}
        value={engine}
        onChange={({ currentTarget: { value } }) => setEngine(value as Engine)}
      />
      <Step title="1. Write the IDs into the game">
        <Text size="sm">
          Run this in the project before you compile the game, and once <code>{signInCommand()}</code>.
        </Text>
        <ShellCommand
          label="build command"
          write={(shell) =>
            [
              buildCommand({ version, os, arch, engine, folder: 'dist' }, shell),
              ...options.map((option) => quote(option, shell)),
            ].join(' ')
          }
        />
      </Step>
      <Step title="2. Start the reporter">
        <Text size="sm">{text}</Text>
        {code.map((section) => (
          <GuideCode key={section} section={section} game={game} buildId={build.build_id} />
        ))}
        <DocLink page={guide} size="sm" underline="always">
          Open the guide
        </DocLink>
      </Step>
      <Step title="3. Send a test crash">
        <TestCrash request={testReport(game.game_uid, build.build_id)} version={version} />
      </Step>
    </Stack>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** The code in a section of the documentation, with the ids of the game. A long script scrolls. */
function GuideCode({ section, game, buildId }: { section: string; game: OpenGame; buildId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['guide code', section, buildId],
    queryFn: () => readGuideCode(section, { gameUid: game.game_uid, slug: game.slug, buildId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return data?.map((text) => (
    <ScrollArea.Autosize key={text} mah={360} viewportProps={{ tabIndex: 0, 'aria-label': 'Code of the reporter' }}>
      <CopyText text={text} label="code of the reporter" block />
    </ScrollArea.Autosize>
  ));
}

/** Sends a report from the browser, in the same way as the command and as a game would. */
function TestCrash({ request, version }: { request: JsonRequest; version: string }) {
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => sendReport(request),
    onSuccess: () => queries.invalidateQueries({ predicate: ({ meta }) => meta?.live === 'crashes' }),
  });
  return (
    <>
      <Group gap="sm">
        <Button size="xs" loading={sending.isPending} onClick={() => sending.mutate()}>
          Send a test crash
        </Button>
        <Text size="sm">{`of ${version} from this browser, or with a command:`}</Text>
      </Group>
      {sending.error !== null && <Problem error={sending.error} onRetry={() => sending.mutate()} />}
      <ShellCommand write={(shell) => postCommand(request, shell)} label="command that sends a test crash" />
    </>
  );
}

async function sendReport({ url, headers, body }: JsonRequest): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    credentials: 'omit',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new NetworkError('The report could not be sent.', { cause });
  });
  if (response.ok) return;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error?.message ?? `The server returned ${response.status}.`);
}

function testReport(gameUid: string, buildId: string): JsonRequest {
  return {
    url: `${location.origin}/api/v1/public/crashes`,
    headers: { 'X-App-Id': gameUid, 'X-Build-Id': buildId },
    body: { message: 'test crash: assertion failed: car != null' },
  };
}
