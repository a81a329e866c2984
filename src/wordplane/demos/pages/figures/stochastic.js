showPage(lineDescent({ stochastic: true }));
