import { type ReactNode, createContext, useCallback, useContext, useState } from 'react';
import { Icon } from './icons';

type Tell = (text: string) => void;
const ToastContext = createContext<Tell>(() => undefined);

/** Tells what was done, for those who read the screen, too. */
export const useToast = (): Tell => useContext(ToastContext);

const shownMs = 6000;

/** The place where what was done is told. Errors are told where they can be mended. */
export function Toasts({ children }: { children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<{ id: number; text: string }[]>([]);
  const tell = useCallback((text: string) => {
    const id = Date.now() + Math.random();
    setToasts((shown) => [...shown, { id, text }]);
    setTimeout(() => setToasts((shown) => shown.filter((toast) => toast.id !== id)), shownMs);
  }, []);
  return (
    <ToastContext value={tell}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text }) => (
          <p key={id} className="toast">
            <Icon name="good" />
            {text}
          </p>
        ))}
      </div>
    </ToastContext>
  );
}
