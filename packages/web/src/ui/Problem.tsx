// An error: what happened, what to do about it and, on pages for developers and operators, the details, folded away.
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { SIGN_IN_REQUIREMENTS, type SignInRequirement } from '@chauffeur/contract/required-sign-in';
import { Alert, Button, Text } from '@mantine/core';
import { MissingCodeError } from '../frame/load-code.ts';
import { isForDevelopers } from './developer-paths.ts';
import { SignInLinks } from './SignInLinks.tsx';

type ProblemProps = {
  error: unknown;
  /** Shows a button that tries again. */
  onRetry?: () => void;
};

export function Problem({ error, onRetry }: ProblemProps) {
  const { message, remedy, details } = describe(error);
  const required = requirementOf(error);
  return (
    <Alert color="red" variant="light" role="alert" title={message}>
      {remedy !== '' && <Text size="sm">{remedy}</Text>}
      {required !== undefined && <SignInLinks required={required} />}
      {details.length > 0 && isForDevelopers(location.pathname) && (
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

/** What an organisation requires of how the person signs in. */
function requirementOf(error: unknown): SignInRequirement | undefined {
  if (!(error instanceof ApiError) || error.code !== 4035) return undefined;
  return SIGN_IN_REQUIREMENTS.find((each) => each === error.data?.required_sign_in);
}

/** Their messages say what to do. */
const COMPLETE_MESSAGES: readonly number[] = [4002, 4035];

type Description = { readonly message: string; readonly remedy: string; readonly details: readonly string[] };

function describe(error: unknown): Description {
  if (error instanceof NetworkError)
    return { message: "Can't reach the server", remedy: 'Check your connection, then try again.', details: [] };
  if (error instanceof MissingCodeError)
    return { message: 'A part of the site is missing', remedy: 'Reload the page, or try again later.', details: [] };
  if (!(error instanceof ApiError))
    return { message: 'Something went wrong on this page', remedy: 'Reload the page.', details: [] };
  const { message, field } = splitField(error.message);
  const { remedy } = ERRORS[error.code];
  return {
    message,
    // The remedy of an invalid field refers to the message.
    remedy: field !== null || COMPLETE_MESSAGES.includes(error.code) || message.includes(remedy) ? '' : remedy,
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
