import { describeCombinations } from './combinations';

describeCombinations('dstu2');
describeCombinations('stu3');
describeCombinations('r4');
