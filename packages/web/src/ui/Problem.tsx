// An error: what happened, what to do about it and, folded away, the details that a developer or operator needs.
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { Alert, Button, Text } from '@mantine/core';

type ProblemProps = {
  error: unknown;
  /** Shows a button that tries again. */
  onRetry?: () => void;
};

export function Problem({ error, onRetry }: ProblemProps) {
  const { message, remedy, details } = describe(error);
  return (
    <Alert color="red" variant="light" role="alert" title={message}>
      {remedy !== '' && <Text size="sm">{remedy}</Text>}
      {details.length > 0 && (
        <Text size="xs" c="dimmed" mt={4} component="details">
          <summary>Technical details</summary>
          {details.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

type Description = { readonly message: string; readonly remedy: string; readonly details: readonly string[] };

function describe(error: unknown): Description {
  if (error instanceof NetworkError)
    return { message: "Can't reach the server", remedy: 'Check your connection, then try again.', details: [] };
  if (!(error instanceof ApiError))
    return { message: 'Something went wrong on this page', remedy: 'Reload the page.', details: [] };
  const { message, field } = splitField(error.message);
  const { remedy } = ERRORS[error.code];
  return {
    message,
    remedy: field !== null || message.includes(remedy) ? '' : remedy,
    details: [
      `Error code: ${error.code}`,
      ...(field === null ? [] : [`Field: ${field}`]),
      ...(error.requestId === undefined ? [] : [`Request ID: ${error.requestId}`]),
    ],
  };
}

/** Messages about input start with the path of the field, as in `name: too long. Shorten it.` */
function splitField(text: string): { message: string; field: string | null } {
  const [, field, rest] = /^([\w.[\]/-]+): (.+)$/s.exec(text) ?? [];
  if (field === undefined || rest === undefined) return { message: text, field: null };
  return { message: rest.charAt(0).toUpperCase() + rest.slice(1), field };
}
