import { type ReactNode, createContext, useContext } from 'react';

const LogoContext = createContext<string | undefined>(undefined);
/** Of the application that asks, as a data: URL. */
export const LogoProvider = LogoContext.Provider;

/** The title of a screen, beside the logo of the application where it has one. */
export function Heading({ children }: { children: ReactNode }): ReactNode {
  const logo = useContext(LogoContext);
  if (logo === undefined) return <h1>{children}</h1>;
  return (
    <div className="heading">
      <img src={logo} alt="" width={40} height={40} />
      <h1>{children}</h1>
    </div>
  );
}
