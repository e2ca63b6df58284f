import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { idleMs, lastRequest } from '../api/activity';
import { keys, queryClient, refresh } from '../api/queries';
import { call } from '../api/request';
import { DialogBox } from '../components/dialogs';

const noticeMs = 60_000;

/** Says a minute before that the session ends, and ends it. @param endsAt its end at the latest */
export function IdleNotice({ endsAt }: { endsAt: string }): ReactNode {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const [isNear, setNear] = useState(false);
  const [seenEnd, setSeenEnd] = useState<number>();
  const end = Date.parse(endsAt);
  useEffect(() => {
    const check = (): void => {
      const left = Math.min(lastRequest() + idleMs, end) - Date.now();
      setNear(left <= noticeMs);
      if (left > 0) return;
      clearInterval(timer);
      // After 12 hours there is none to end; another page may have begun a new one.
      if (Date.now() >= end) return void refresh(keys.account);
      void call('POST', 'sign-out')
        .catch(() => undefined)
        .then(() => {
          queryClient.clear();
          return navigate(`/sign-in?${new URLSearchParams({ next: pathname + search, ended: '' }).toString()}`);
        });
    };
    const timer = setInterval(check, 1000);
    return () => clearInterval(timer);
  }, [end, navigate, pathname, search]);
  const isLast = end - Date.now() <= noticeMs;
  if (!isNear || (isLast && seenEnd === end)) return null;
  const stay = (): void => {
    setNear(false);
    if (isLast) return setSeenEnd(end);
    void refresh(keys.account);
  };
  return (
    <DialogBox title="You will be signed out in a minute" close={stay} isAlert>
      {isLast ? (
        <p>A session lasts 12 hours at most. Save your work and sign in again.</p>
      ) : (
        <p>There was no request for almost 15 minutes. What you have not saved is lost when the session ends.</p>
      )}
      <div className="actions">
        <button type="button" className="primary" onClick={stay}>
          {isLast ? 'OK' : 'Stay signed in'}
        </button>
      </div>
    </DialogBox>
  );
}
