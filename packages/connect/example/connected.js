TributaryConnect.finishConnect();
