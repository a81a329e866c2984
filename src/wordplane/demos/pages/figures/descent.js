showPage(lineDescent({ stochastic: false }));
