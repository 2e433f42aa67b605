// The dialog that links a bug ticket to an issue, or creates one. Its code is loaded when it opens.
import { draftTicketIssue } from '@chauffeur/contract/operations/bugs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { IssueDialog } from '../issues/IssueDialog.tsx';
import type { Ticket } from './bug-status.ts';
import type { ChangeTicket, TicketChange } from './use-bugs.ts';

type TicketIssueDialogProps = { bug: Ticket; change: ChangeTicket; gameUid: string; onClose: () => void };

export function TicketIssueDialog({ bug, change, gameUid, onClose }: TicketIssueDialogProps) {
  const { bug_uid: bugUid, issue_url: issueUrl } = bug;
  const draft = useQuery({
    ...ask(draftTicketIssue, { uid: gameUid, bug_uid: bugUid }),
    enabled: issueUrl === null,
    // The tracker may have been set up a moment ago.
    staleTime: 0,
  });
  const [error, setError] = useState<Error | null>(null);
  const submit = (action: TicketChange) => {
    setError(null);
    change.mutate(action, {
      onSuccess: onClose,
      onError: (cause) => {
        setError(cause);
        // The page below must not show the error as well.
        change.reset();
      },
    });
  };
  return (
    <IssueDialog
      issueUrl={issueUrl}
      draft={draft}
      isBusy={change.isPending}
      error={error}
      onCreate={() =>
        submit({ change: {}, createsIssue: true, message: 'Issue created and linked.', undo: { issue_url: null } })
      }
      onLink={(url) =>
        submit({
          change: { issue_url: url },
          message: url === null ? 'Link to the issue removed.' : 'Issue linked.',
          undo: { issue_url: issueUrl },
        })
      }
      onClose={onClose}
    />
  );
}
