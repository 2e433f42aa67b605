// An error as a person can use it: what happened, what to do, and small, what to tell the operator.
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { Alert, Button, Text } from '@mantine/core';

type ProblemProps = {
  error: unknown;
  /** Offered as a button when given. */
  again?: () => void;
};

export function Problem({ error, again }: ProblemProps) {
  const { message, remedy, trace } = describe(error);
  return (
    <Alert color="red" variant="light" role="alert" title={message}>
      {remedy !== '' && <Text size="sm">{remedy}</Text>}
      {trace !== '' && (
        <Text size="xs" c="dimmed" mt={4}>
          {trace}
        </Text>
      )}
      {again !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

function describe(error: unknown): { message: string; remedy: string; trace: string } {
  if (error instanceof ApiError) {
    const trace = [`Code ${error.code}`, ...(error.requestId === undefined ? [] : [`request ${error.requestId}`])];
    const { remedy } = ERRORS[error.code];
    return { message: error.message, remedy: error.message.includes(remedy) ? '' : remedy, trace: trace.join(' · ') };
  }
  if (error instanceof NetworkError) {
    return { message: 'The service could not be reached', remedy: 'Check the connection, then try again.', trace: '' };
  }
  return { message: 'Something went wrong on this page', remedy: 'Reload it.', trace: '' };
}
