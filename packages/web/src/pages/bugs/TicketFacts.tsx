// What is known about a bug ticket, and what developers add to it: a title, labels, a crash group, its duplicates.
import { formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { listBugTickets, updateBugTicket } from '@chauffeur/contract/operations/bugs';
import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import { call } from '../../api.ts';
import { lazyPart } from '../../frame/load-code.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Permitted, PermittedFields } from '../../ui/Permitted.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { AssigneeSelect, IssueAnchor } from '../../ui/Triage.tsx';
import { useGame } from '../games/use-game.ts';
import { findId, parseLabels, stateOf, type Ticket } from './bug-status.ts';
import type { ChangeTicket, TicketChange } from './use-bugs.ts';

type TicketProps = { bug: Ticket; change: ChangeTicket };
type TicketFactsProps = TicketProps & { gameUid: string; slug: string };

export function TicketFacts({ bug, change, gameUid, slug }: TicketFactsProps) {
  const platform = formatPlatform({ os: bug.os ?? '', arch: bug.arch ?? '' });
  const facts: Fact[] = [
    ['Filed by', bug.filed_by === '' ? 'A player without an account' : bug.filed_by],
    ['Filed', <Time key="filed" at={bug.filed_at} />],
    ...(bug.updated_at === bug.filed_at ? [] : [['Changed', <Time key="updated" at={bug.updated_at} />] as const]),
    ['Build', <BuildOf key="build" bug={bug} slug={slug} />],
    ['Platform', platform === '' ? 'Not specified' : platform],
    ['Assignee', <AssigneeOf key="assignee" bug={bug} change={change} />],
    ['Issue', <IssueOf key="issue" bug={bug} change={change} gameUid={gameUid} />],
    ['Labels', <Labels key="labels" bug={bug} change={change} slug={slug} />],
    ['Crash group', <GroupOf key="group" bug={bug} change={change} slug={slug} />],
    ['Duplicates', <Duplicates key="duplicates" bug={bug} change={change} gameUid={gameUid} slug={slug} />],
    ['Ticket ID', <CopyText key="uid" text={bug.bug_uid} label="ticket ID" />],
  ];
  return <Facts facts={facts} />;
}

function BuildOf({ bug, slug }: { bug: Ticket; slug: string }) {
  if (bug.build_id === null) return 'Not specified';
  if (bug.version === null) return 'Deleted build';
  return (
    <Group gap="xs">
      <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId: bug.build_id }} underline="always">
        {bug.version}
      </SiteLink>
      <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version: bug.version }} size="sm">
        View on all platforms
      </SiteLink>
    </Group>
  );
}

export function RenameTicket({ bug, change }: TicketProps) {
  return (
    <EditDialog
      button="Rename"
      title="Rename ticket"
      field={{ name: 'title', label: 'Title', description: 'Leave it empty to show the beginning of the message.' }}
      initial={bug.title}
      maxLength={LIMITS.bugTitleLength}
      change={change}
      makeChange={(text) => ({
        change: { title: text === '' ? null : text },
        message: 'Ticket renamed.',
        undo: { title: bug.title },
      })}
    />
  );
}

function AssigneeOf({ bug, change }: TicketProps) {
  const { members } = useGame();
  return (
    <PermittedFields operation={updateBugTicket}>
      <AssigneeSelect
        members={members}
        assignee={bug.assignee}
        isDisabled={change.isPending}
        onChange={(assignee) =>
          change.mutate({
            change: { assignee: assignee?.user_id ?? null },
            message: assignee === null ? 'Ticket unassigned.' : `Ticket assigned to ${assignee.name}.`,
            undo: { assignee: bug.assignee?.user_id ?? null },
          })
        }
      />
    </PermittedFields>
  );
}

/** The code of the dialog is loaded when it is opened. */
const TicketIssueDialog = lazyPart(async () => (await import('./TicketIssueDialog.tsx')).TicketIssueDialog);

function IssueOf({ bug, change, gameUid }: TicketProps & { gameUid: string }) {
  const [isOpen, setOpen] = useState(false);
  const { issue_url: url } = bug;
  return (
    <Group gap="xs">
      {url !== null && <IssueAnchor url={url} />}
      <Permitted operation={updateBugTicket}>
        <Button size="compact-xs" variant="default" disabled={change.isPending} onClick={() => setOpen(true)}>
          {url === null ? 'Link issue' : 'Change'}
        </Button>
        <Suspense>
          {isOpen && <TicketIssueDialog bug={bug} change={change} gameUid={gameUid} onClose={() => setOpen(false)} />}
        </Suspense>
      </Permitted>
    </Group>
  );
}

function Labels({ bug, change, slug }: TicketProps & { slug: string }) {
  return (
    <Group gap="xs">
      {bug.labels.map((label) => (
        <SiteLink key={label} to="/dev/$slug/bugs" params={{ slug }} search={{ label, status: 'all' }} size="sm">
          <Badge variant="default" tt="none" component="span">
            {label}
          </Badge>
        </SiteLink>
      ))}
      <EditDialog
        button={bug.labels.length === 0 ? 'Add labels' : 'Change labels'}
        title="Labels"
        field={{ name: 'labels', label: 'Labels', description: 'Separated by commas, for example: physics, level 2' }}
        initial={bug.labels.join(', ')}
        maxLength={LIMITS.bugLabels * (LIMITS.bugLabelLength + 2)}
        change={change}
        makeChange={(text) => ({
          change: { labels: parseLabels(text) },
          message: 'Labels changed.',
          undo: { labels: bug.labels },
        })}
      />
    </Group>
  );
}

function GroupOf({ bug, change, slug }: TicketProps & { slug: string }) {
  const { group } = bug;
  return (
    <Group gap="xs">
      {group !== null && (
        <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId: group.group_id }} size="sm">
          {group.title}
        </SiteLink>
      )}
      <EditDialog
        button={group === null ? 'Link crash group' : 'Change'}
        title="Link a crash group"
        field={{
          name: 'group_id',
          label: 'Address or ID of the crash group',
          description: 'Leave it empty to remove the link.',
          problemOf: (text) =>
            text === '' || findId(text) !== undefined ? null : "This doesn't contain the ID of a crash group.",
        }}
        initial={group?.group_id ?? ''}
        change={change}
        makeChange={(text) => ({
          change: { group_id: findId(text) ?? null },
          message: text === '' ? 'Link to the crash group removed.' : 'Crash group linked.',
          undo: { group_id: group?.group_id ?? null },
        })}
      />
    </Group>
  );
}

function Duplicates({ bug, change, gameUid, slug }: TicketFactsProps) {
  const { duplicate_of: original, duplicates } = bug;
  const linkTo = ({ bug_uid: bugUid, number }: { bug_uid: string; number: number }) => (
    <SiteLink
      key={bugUid}
      to="/dev/$slug/bugs/$bugUid"
      params={{ slug, bugUid }}
      search={(before) => before}
      size="sm"
    >{`#${number}`}</SiteLink>
  );
  if (original !== null)
    return (
      <Group gap="xs">
        <Text size="sm">Duplicate of {linkTo(original)}</Text>
        <Permitted operation={updateBugTicket}>
          <Button
            size="compact-xs"
            variant="default"
            disabled={change.isPending}
            onClick={() =>
              change.mutate({
                change: { duplicate_of: null, status: 'open' },
                message: 'Ticket reopened. It is no longer a duplicate.',
                undo: { duplicate_of: original.bug_uid, ...stateOf(bug) },
              })
            }
          >
            Not a duplicate
          </Button>
        </Permitted>
      </Group>
    );
  return (
    <Group gap="xs">
      {duplicates.map(linkTo)}
      <EditDialog
        button="Mark as duplicate"
        title="Mark as duplicate"
        field={{
          name: 'duplicate_of',
          label: 'Number of the other ticket',
          description: 'It stays open, and this ticket is closed.',
          placeholder: '#12',
          problemOf: (text) => (/^#?\d+$/.test(text) ? null : 'Enter the number of a ticket, such as #12.'),
        }}
        initial=""
        change={change}
        makeChange={async (text) => ({
          change: { duplicate_of: await findTicket(gameUid, Number(text.replace('#', ''))) },
          message: `Marked as a duplicate of #${text.replace('#', '')}.`,
          undo: { duplicate_of: null, ...stateOf(bug) },
        })}
      />
    </Group>
  );
}

/** Finds the ticket with this number. Throws if it doesn't exist. */
async function findTicket(gameUid: string, number: number): Promise<string> {
  const { bugs } = await call(listBugTickets, { uid: gameUid, text: `#${number}`, limit: 100 });
  const found = bugs.find((bug) => bug.number === number);
  if (found === undefined) throw new Error(`There is no ticket #${number}.`);
  return found.bug_uid;
}

type EditDialogProps = {
  button: string;
  title: string;
  field: {
    name: string;
    label: string;
    description: string;
    placeholder?: string;
    problemOf?: (text: string) => string | null;
  };
  initial: string;
  maxLength?: number;
  change: ChangeTicket;
  /** `text` has no spaces around it. */
  makeChange: (text: string) => TicketChange | Promise<TicketChange>;
};

/** A button that opens a dialog with one text. People who may not change tickets don't see it. */
function EditDialog({ button, title, field, initial, maxLength, change, makeChange }: EditDialogProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const open = () => {
    setText(initial);
    setProblem(null);
    setError(null);
    setOpen(true);
  };
  const save = async () => {
    const trimmed = text.trim();
    const found = field.problemOf?.(trimmed) ?? null;
    if (found !== null) return setProblem(found);
    try {
      setError(null);
      change.mutate(await makeChange(trimmed), {
        onSuccess: () => setOpen(false),
        onError: (cause) => {
          setError(cause);
          // The page below must not show the error as well.
          change.reset();
        },
      });
    } catch (cause) {
      setProblem((cause as Error).message);
    }
  };
  return (
    <Permitted operation={updateBugTicket}>
      <Button size="compact-xs" variant="default" disabled={change.isPending} onClick={open}>
        {button}
      </Button>
      {isOpen && (
        <FormDialog
          title={title}
          submitLabel="Save"
          isBusy={change.isPending}
          error={error}
          onSubmit={() => void save()}
          onClose={() => setOpen(false)}
        >
          <TextInput
            data-field={field.name}
            label={field.label}
            description={field.description}
            placeholder={field.placeholder ?? ''}
            {...(maxLength !== undefined && { maxLength })}
            value={text}
            error={problem}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </FormDialog>
      )}
    </Permitted>
  );
}
