import './style.css';
import { hydrateRoot } from 'react-dom/client';
import type { PageData } from '../../../src/connect-pages/screens/screens';
import { PageView } from './page-view';

const [root, data] = [document.getElementById('page'), document.getElementById('data')];
if (root && data) hydrateRoot(root, <PageView data={JSON.parse(data.textContent) as PageData} />);
