import { type ReactNode, useEffect } from 'react';
import type { ErrorScreen, PageError } from '../../../../src/connect-pages/screens/screens';
import { LeaveLink } from '../leave-link';
import { Text, useWording } from '../texts/texts';

const canRetry: ReadonlySet<PageError> = new Set(['too_many_requests', 'unavailable', 'internal_error']);

/** A request that failed: what happened, what to do next, and details for the support. */
export function ErrorView({ screen }: { screen: ErrorScreen }): ReactNode {
  const { texts } = useWording();
  const { title, happened, next } = texts.errors[screen.error];
  const isFinal = !canRetry.has(screen.error);
  useEffect(() => {
    // The first address has the token, which another attempt needs.
    if (isFinal && location.search.includes('access_token')) history.replaceState(null, '', location.pathname);
  }, [isFinal]);
  const hasOther = canRetry.has(screen.error) || screen.path !== undefined;
  return (
    <>
      <h1>
        <Text of={title} />
      </h1>
      <p>
        <Text of={happened} />
      </p>
      <p>
        <Text of={next} />
      </p>
      <div className="actions">
        {canRetry.has(screen.error) && (
          <a className="primary" href="">
            {texts.tryAgain}
          </a>
        )}
        {screen.path !== undefined && (
          <a className="primary" href={`${screen.path}/search`}>
            {texts.review.back}
          </a>
        )}
        <LeaveLink href={screen.backUrl} isPrimary={!hasOther}>
          <span>
            <Text of={texts.backToApp} />
          </span>
        </LeaveLink>
      </div>
      <details>
        <summary>{texts.details.summary}</summary>
        <dl>
          <dt>{texts.details.code}</dt>
          <dd>
            <code>{screen.code}</code>
          </dd>
          <dt>{texts.details.status}</dt>
          <dd>
            <code>{screen.status}</code>
          </dd>
          <dt>{texts.details.request}</dt>
          <dd>
            <code>{screen.requestId}</code>
          </dd>
        </dl>
      </details>
    </>
  );
}
