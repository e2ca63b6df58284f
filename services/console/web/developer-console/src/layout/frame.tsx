import { type ReactNode, useEffect, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useLocation } from 'react-router';
import { Icon } from '../components/icons';
import { Navigation } from './navigation';

/** The navigation beside a page; where it is narrow, behind a button. */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top-bar">
        <button type="button" onClick={() => setOpen(true)} aria-haspopup="dialog">
          <Icon name="menu" />
          Menu
        </button>
        <span className="brand">Tributary</span>
      </header>
      <header className="sidebar">
        <Navigation />
      </header>
      <ModalOverlay className="overlay" isOpen={isOpen} isDismissable onOpenChange={setOpen}>
        <Modal className="drawer">
          <Dialog className="sidebar-dialog" aria-label="Menu">
            <button type="button" className="small" onClick={() => setOpen(false)}>
              <Icon name="close" />
              Close
            </button>
            <Navigation />
          </Dialog>
        </Modal>
      </ModalOverlay>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
